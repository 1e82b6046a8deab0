"""What a component may ask while it renders: the handle, the observed axes, deferred values.

`handle` is the request handle and `agent()`; `deferred` is `Deferred` and `use`; `stage` tells
the code inside a `def` component from other code; `observed` and `terminal` are what is known
about the caller.  Nothing here renders.  Above: `pipeline`.
"""
