//! A conversation with tools, for servers that know calls. A prompt holds it beside the same conversation as text.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A conversation with tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Talk {
    /// Instruction.
    pub system: String,
    /// Tools that the model may call.
    pub tools: Vec<ToolSpec>,
    /// The person's words, with what is known.
    pub request: String,
    /// Calls with their results, in order.
    pub looks: Vec<Look>,
}

/// A tool that the model may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSpec {
    /// Name.
    pub name: String,
    /// What it returns.
    pub about: String,
    /// JSON schema of its parameters.
    pub schema: Value,
}

/// A call and its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// What the model said before.
    pub thought: String,
    /// The call.
    pub call: ToolCall,
    /// What came of it.
    pub result: String,
}

/// A call of a tool by a model, untrusted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Name of the tool.
    pub name: String,
    /// Parameters as the model wrote them: a JSON object, if all is well.
    pub arguments: String,
}

impl ToolCall {
    /// Returns the call with `change` applied to each text in its parameters, or to the whole if they can't be read.
    pub fn changed(&self, change: &mut dyn FnMut(&str) -> String) -> Self {
        let arguments = match serde_json::from_str::<Value>(&self.arguments) {
            Ok(mut value) => {
                change_texts(&mut value, change);
                value.to_string()
            }
            Err(_) => change(&self.arguments),
        };
        Self { name: self.name.clone(), arguments }
    }
}

/// Applies `change` to each text of a value. Parsing has bounded its depth.
fn change_texts(value: &mut Value, change: &mut dyn FnMut(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(values) => values.iter_mut().for_each(|value| change_texts(value, change)),
        Value::Object(fields) => fields.values_mut().for_each(|value| change_texts(value, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

impl Talk {
    /// Returns the conversation with `change` applied to each text that is not askline's own.
    pub(super) fn changed(&self, change: &mut dyn FnMut(&str) -> String) -> Self {
        let request = change(&self.request);
        let mut look = |look: &Look| Look {
            thought: change(&look.thought),
            call: look.call.changed(change),
            result: change(&look.result),
        };
        let looks = self.looks.iter().map(&mut look).collect();
        Self { request, looks, ..self.clone() }
    }
}
