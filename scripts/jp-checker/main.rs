//! Reads what fdtool prints with jp's own types: `outcome` one `jp_tool::Outcome` a line, `config` a configuration in TOML.

use std::io::Read;

use jp_config::{AppConfig, PartialAppConfig};
use jp_tool::Outcome;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    if std::env::args().nth(1).as_deref() == Some("outcome") {
        for line in text.lines() {
            let outcome: Outcome = serde_json::from_str(line)?;
            let shown = serde_json::to_string(&outcome)?;
            println!("{}", shown.chars().take(160).collect::<String>());
        }
        return Ok(());
    }
    // What jp itself needs (a model) comes from its own test configuration; the tools are fdtool's.
    let mut partial = PartialAppConfig::new_test();
    partial.conversation.tools = toml::from_str::<PartialAppConfig>(&text)?.conversation.tools;
    partial.conversation.tools.defaults.run = Some(jp_config::conversation::tool::RunMode::Ask);
    let config = AppConfig::from_partial_with_defaults(partial)?;
    for (name, tool) in config.conversation.tools.iter() {
        println!("{name}: {} parameters", tool.parameters().len());
    }
    Ok(())
}
