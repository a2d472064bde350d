"""Publishers of sensors for whose topic a declaration is not enough."""
