"""WyoBiz: the FilingSearch WebForms platform of Wyoming and South Dakota."""
