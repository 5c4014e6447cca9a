"""What other registers call a company: its LEI (GLEIF), and a CIK (SEC EDGAR) that is only suggested."""
