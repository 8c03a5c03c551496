"""Public mechanisms on which testers of differential privacy are tried, right and broken, each with its price."""
