"""How staff get into the admin and stay there: password, second factor, counted tries, sessions that end."""
