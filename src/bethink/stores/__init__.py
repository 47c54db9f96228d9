"""Where records are kept. A store keeps and returns; it never ranks."""
