"""Who depends on whom: search over dags, from complete and from incomplete cases."""
