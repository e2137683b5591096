# Builds the plugin and adds it to Nushell: `nupm install --path` calls it with the path of nupm.nuon. Untried with nupm itself.
def main [package_file: path = nupm.nuon] {
  let source = ($package_file | path expand | path dirname)
  let root = ($env.NUPM_HOME | path join plugins)
  cargo install --locked --path $source --root $root
  let program = ($root | path join bin nu_plugin_ask)
  ^$nu.current-exe --commands $"plugin add '($program)'"
}
