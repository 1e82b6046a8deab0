"""Plugins and their routes: finding, reading, importing, and making an application of them.

    plugin        where a plugin is: `find_plugin`, and the one error, `PluginError`
    glance        what help lists, before anything is imported; on `folders`, `packages` and
                  `decorated`, which have neither attrs nor typing
    manifest      `plugin.toml`, out of `settings`, `sections`, `tables` and `places`
    record        what discovery finds, one by one
    graph         all of it, how to find a part, and its `digest`
    diagnostic    what is wrong, where, and what to do about it
    static        one module, read without running it: `source`, `arguments`, `facts`
    discovery     everything that a plugin's folders declare: `walk`, `search`, `servers`,
                  `server_routes`, `script_files`, `modes`, `event_names`, `aliases`, `references`
    examination   all that can be said without importing: `advice`; `checking` imports too
    importing     a finder for exactly one package, and imports with errors of one line
    epoch         which build a plugin is
    handler       what every route does with its function
    commands      the decorator `@command`
    scripts       the decorator `@script`
    tools         the decorator `@tool`
    resources     the decorator `@resource`
    prompts       the decorator `@prompt`
    layouts       the decorator `@layout`, and what stands around a route
    declaring     what decorators are given, judged
    answer        nodes or data: what a handler returns
    application   all of it together, as a `Runtime` and a surface want it

Deliberately nothing is re-exported here: a list of commands imports `application`, which imports
neither Trio nor cattrs, while `commands` needs both.
"""
