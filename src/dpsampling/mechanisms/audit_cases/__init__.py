"""The smallest faithful instances of this room's mechanisms, for the audit (see `privacy.audit_case`)."""
