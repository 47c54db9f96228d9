"""What a query becomes: pure functions over what the index finds."""
