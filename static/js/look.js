// Before the first paint: the colours that a person chose, and that scripts run.
document.documentElement.dataset.theme = localStorage.getItem("theme") || "";
document.documentElement.classList.add("scripted");
