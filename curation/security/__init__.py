"""What protects the site that Django does not bring along."""
