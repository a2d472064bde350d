"""Programs that show matches to people: the page, videos, and what both show alike."""
