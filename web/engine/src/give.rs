//! A story in the forms that others take.

use playground_core::export::{Form, Theme, export};
use playground_core::timeline::Timeline;
use playground_model::message::Answer;

use crate::session::Session;

/// Runs the story anew, for the page may not have run it to its end.
pub(crate) fn export_as(session: &Session, form: &str) -> Answer {
    let error = |text: String| Answer::Error { text };
    let Some(form) = Form::parse(form, Theme::Auto) else {
        return error(format!("there is no export as {form}"));
    };
    let scenario = session.scenario().clone();
    let Some(version) = scenario.setup.versions.choose(None) else {
        return error("no version of the server that is offered is within `@ redis`".to_owned());
    };
    match Timeline::run(scenario, version) {
        Ok(timeline) => Answer::Text { text: export(session.text(), &timeline, form) },
        Err(reason) => error(reason),
    }
}
