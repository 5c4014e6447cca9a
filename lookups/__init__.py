"""What the customer asks: lookups, what is stored of them, and the /v1 contract they are asked through."""
