"""Rules by which statements about the user are told from everything else that is said."""
