//! Small drawings. All are decoration: whoever shows one says in words what it means.

use leptos::prelude::*;

/// An icon by the path it draws in a square of 16.
#[component]
fn Icon(path: &'static str) -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
            <path d=path />
        </svg>
    }
}

macro_rules! icons {
    ($($name:ident = $path:literal;)*) => {$(
        #[component]
        pub(super) fn $name() -> impl IntoView {
            view! { <Icon path=$path /> }
        }
    )*};
}

icons! {
    First = "M3 3v10M13 3 6 8l7 5z";
    Back = "M11 3 4 8l7 5z";
    Next = "m5 3 7 5-7 5z";
    Last = "M13 3v10M3 3l7 5-7 5z";
    Play = "M4 2.5 13 8l-9 5.5z";
    Pause = "M5 3v10M11 3v10";
    Book = "M2 3.5c2-1 4-1 6 .5 2-1.500 4-1.500 6-.5v9c-2-1-4-1-6 .5-2-1.500-4-1.500-6-.5zM8 4v9";
    Pencil = "m3 13 .7-3L10.500 3.200l2.300 2.300L6 12.300zM9 4.700 11.300 7";
    Sun = "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1";
    Moon = "M13.500 9.500A6 6 0 0 1 6.500 2.500a6 6 0 1 0 7 7z";
    Auto = "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12";
    Help = "M5.800 6a2.200 2.200 0 1 1 3.200 2c-.7.400-1 .8-1 1.600M8 12.300v.2";
    Undo = "M3 6h6.500a3.500 3.500 0 0 1 0 7H6M5.500 3 3 6l2.500 3";
    Redo = "M13 6H6.500a3.500 3.500 0 0 0 0 7H10M10.500 3 13 6l-2.500 3";
    Branches = "M4.500 5.500v5M4.500 2a1.700 1.700 0 1 0 .01 0zM4.500 10.600a1.700 1.700 0 1 0 .01 0zM11.500 3.500a1.700 1.700 0 1 0 .01 0zM11.500 6.900c0 2.600-5 1.600-7 3.400";
    Share = "M10 5 6 7.200M10 11 6 8.800M11.800 2.500a1.800 1.800 0 1 0 .01 0zM11.800 9.900a1.800 1.800 0 1 0 .01 0zM4.200 6.200a1.800 1.800 0 1 0 .01 0z";
    Bin = "M3 4.500h10M6.500 4.500V3h3v1.500M4.500 4.500l.6 8.500h5.800l.6-8.500";
    Outside = "M7 3H3v10h10V9M9.500 2.500h4v4M13 3 7.500 8.500";
    Enlarge = "M3 6.500 8 2l5 4.500M3 13h10M8 2v8";
    RunOn = "M3 3.500 8 8l-5 4.500zM12 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6z";
    RunBack = "M13 3.500 8 8l5 4.500zM4 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6z";
    NextCall = "M2 8h8M7 5l3 3-3 3M13 3v10";
    PreviousCall = "M14 8H6M9 5 6 8l3 3M3 3v10";
    StepOver = "M2.500 8a5.500 5.500 0 0 1 10.600-1.500M13.500 3v3.700H10M8 11.500v.2";
    BackOver = "M13.500 8A5.500 5.500 0 0 0 2.900 6.500M2.500 3v3.700H6M8 11.500v.2";
    StepOut = "M8 11V2.500M4.500 6 8 2.500 11.500 6M3 13.500h10";
    Plus = "M8 3v10M3 8h10";
    Minus = "M3 8h10";
    Fit = "M2 3v10M14 3v10M4.500 8h7M6.500 6l-2 2 2 2M9.500 6l2 2-2 2";
    Cross = "m4 4 8 8M12 4l-8 8";
    Clock = "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.500V8l2.500 1.500";
}
