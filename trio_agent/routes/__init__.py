"""Plugins and their routes: finding, reading, importing, and making an application of them.

    plugin        where a plugin is: `find_plugin`, and the one error, `PluginError`
    manifest      `plugin.toml`
    record        what discovery finds: routes and diagnostics
    static        one module, read without running it
    discovery     the walk over a plugin's folders
    importing     a finder for exactly one package, and imports with errors of one line
    epoch         which build a plugin is
    handler       what every route does with its function
    commands      the decorator `@command`
    tools         the decorator `@tool`
    layouts       the decorator `@layout`, and what stands around a route
    declaring     what decorators are given, judged
    answer        nodes or data: what a handler returns
    application   all of it together, as a `Runtime` and a surface want it

Deliberately nothing is re-exported here: a list of commands imports `application`, which imports
neither Trio nor cattrs, while `commands` needs both.
"""
