//! `askline mcp`: the checks and suggestions as tools of an MCP server on standard input and output, for agents and
//! editors. No tool runs a line.
//!
//! Each tool returns the JSON object of the subcommand of its name; `risk` returns line, shell and the `risk` of `check`.

use std::borrow::Cow;
use std::str::FromStr as _;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, anyhow, ensure};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Map, Value, json};

use super::rows::ROW_LIMIT;
use super::{AppContext, Exit, check, explain, reason, suggest};
use askline_model::request_control::RequestControl;
use askline_syntax::shell::Shell;

/// What clients tell their model about the tools.
const INSTRUCTIONS: &str = "Checks and writes shell commands for this machine, and runs none. Before you run a line, \
    `check` says whether its commands and options exist here and how careful to be; `risk` says only the latter.";

/// Name of the argument with the shell.
const SHELL: &str = "shell";
/// Name of the argument that wants a line even where no single command seems to do what is asked.
const ANYWAY: &str = "anyway";

/// A tool.
struct Offer {
    name: &'static str,
    description: &'static str,
    /// Name and description of its text.
    text: (&'static str, &'static str),
    /// `true` if it takes `anyway`.
    may_insist: bool,
    /// Returns its JSON object.
    answer: fn(&Arguments, &AppContext, RequestControl) -> anyhow::Result<Value>,
}

/// Arguments of a call.
struct Arguments {
    text: String,
    shell: Shell,
    anyway: bool,
}

/// The tools.
static OFFERS: [Offer; 4] = [
    Offer {
        name: "check",
        description: "What is wrong with a shell line on this machine (commands and options that do not exist, \
            syntax), with fixes, and its risk. Looks things up in manuals; runs nothing of the line.",
        text: ("line", "The command line"),
        may_insist: false,
        answer: |given, app, _| check::checked(&given.text, given.shell, app),
    },
    Offer {
        name: "explain",
        description: "What each word of a shell line means, from this machine's manuals.",
        text: ("line", "The command line"),
        may_insist: false,
        answer: |given, app, _| explain::explained(&given.text, given.shell, app),
    },
    Offer {
        name: "suggest",
        description: "A command for a request in plain English, checked on this machine, by the user's own model.",
        text: ("request", "What the command shall do, in plain English"),
        may_insist: true,
        answer: |given, app, control| {
            suggest::suggested(&given.text, given.shell, given.anyway, app, control)
        },
    },
    Offer {
        name: "risk",
        description: "How careful to be with a shell line: Safe, Cautious, Confirm or Dangerous, why, and each effect \
            with its target. Quick: looks up no options.",
        text: ("line", "The command line"),
        may_insist: false,
        answer: |given, app, _| check::risk_of(&given.text, given.shell, app),
    },
];

pub(super) fn run(app: AppContext) -> anyhow::Result<Exit> {
    let server = Server { app: Arc::new(app), turn: Arc::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let service = server.serve(rmcp::transport::stdio()).await.context("the client did not begin")?;
        service.waiting().await.context("the server stopped")?;
        anyhow::Ok(())
    });
    // A read of standard input that is still waiting must not hold the end.
    runtime.shutdown_background();
    served.map(|()| Exit::Done)
}

/// The server: one client, one answer at a time.
#[derive(Clone)]
struct Server {
    app: Arc<AppContext>,
    turn: Arc<Mutex<()>>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("askline", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(INSTRUCTIONS.to_owned());
        info
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(OFFERS.iter().map(tool).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(offer) = OFFERS.iter().find(|offer| offer.name == request.name) else {
            return Err(ErrorData::invalid_params(format!("there is no tool `{}`", request.name), None));
        };
        let control = RequestControl::endless();
        let (server, working) = (self.clone(), control.clone());
        let work = tokio::task::spawn_blocking(move || {
            let _turn = server.turn.lock().unwrap_or_else(PoisonError::into_inner);
            let given = arguments(offer, &request.arguments.unwrap_or_default(), &server.app)?;
            (offer.answer)(&given, &server.app, working)
        });
        let answer = tokio::select! {
            answer = work => answer.unwrap_or_else(|_| Err(anyhow!("the tool failed unexpectedly"))),
            () = context.ct.cancelled() => {
                control.cancel();
                Err(anyhow!("cancelled"))
            }
        };
        let result = match answer {
            Ok(object) if object.get("error").is_some_and(|error| !error.is_null()) => {
                CallToolResult::structured_error(object)
            }
            Ok(object) => CallToolResult::structured(object),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(reason(&error))]),
        };
        Ok(result.into())
    }
}

/// Reads the arguments of a call.
fn arguments(offer: &Offer, given: &Map<String, Value>, app: &AppContext) -> anyhow::Result<Arguments> {
    let text = given.get(offer.text.0).and_then(Value::as_str);
    let text = text.with_context(|| format!("`{}` is missing; give it as a text", offer.text.0))?;
    ensure!(text.len() <= ROW_LIMIT, "`{}` is longer than {ROW_LIMIT} bytes; shorten it", offer.text.0);
    let shell = match given.get(SHELL) {
        None | Some(Value::Null) => app.login_shell(),
        Some(shell) => {
            let name = shell.as_str().context("`shell` is not a text; name a shell")?;
            Shell::from_str(name).map_err(|error| anyhow!("{error}"))?
        }
    };
    let anyway = match given.get(ANYWAY).filter(|_| offer.may_insist) {
        None | Some(Value::Null) => false,
        Some(anyway) => anyway.as_bool().context("`anyway` is neither true nor false; leave it out")?,
    };
    Ok(Arguments { text: text.to_owned(), shell, anyway })
}

/// Returns the description of a tool.
fn tool(offer: &Offer) -> Tool {
    let (name, description) = offer.text;
    let mut schema = json!({
        "type": "object",
        "properties": {
            name: {"type": "string", "description": description},
            SHELL: {
                "type": "string",
                "enum": Shell::ALL.map(Shell::name),
                "description": "The shell that will read the line; default: the user's login shell",
            },
        },
        "required": [name],
    });
    if offer.may_insist {
        schema["properties"][ANYWAY] = json!({
            "type": "boolean",
            "description": "true: a line even if no single command seems to do it; ask the user first; default: false",
        });
    }
    let schema = match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    let annotations = ToolAnnotations::new().read_only(true);
    Tool::new(Cow::Borrowed(offer.name), Cow::Borrowed(offer.description), Arc::new(schema))
        .with_annotations(annotations)
}
