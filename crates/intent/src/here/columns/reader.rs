//! The reader of quotes: a program of awk that makes the separators outside quotes tabs and leaves the quotes out.

use crate::here::call::Call;
use crate::tool::is_awk;

/// Separators of tables with quotes.
const SEPARATORS: [char; 3] = [',', ';', '|'];

/// Returns the program, for a separator.
pub(super) fn program(separator: char) -> String {
    // A string is a pattern, in which `|` has a meaning of its own.
    let pattern = if separator == '|' { "[|]".to_owned() } else { separator.to_string() };
    format!(r#"{{for(i=1;i<=NF;i+=2)gsub("{pattern}","\t",$i)}}1"#)
}

/// Reports whether a call is the reader: what it prints is the table with tabs between the fields, without quotes.
pub(super) fn is_reader(call: &Call<'_>) -> bool {
    let script = call.script.map_or("", |script| script.text.as_str());
    is_awk(call.name) && SEPARATORS.iter().any(|separator| program(*separator) == script)
}
