"""What every part shares: errors, time, ids, addresses, idempotency and text. No I/O and no third party."""
