"""Who does the work: one folder per process, two pure rooms (`card`, `verdict`), the door (`outbound`) and the bus."""
