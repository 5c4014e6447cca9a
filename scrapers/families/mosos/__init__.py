"""Missouri's Business Services (WebForms with a Telerik grid)."""
