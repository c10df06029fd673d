SELECT o.id, it.sku FROM ds.ord o, o.items it WHERE it.q > 1
