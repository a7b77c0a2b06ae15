// Before the first paint: apply the chosen theme, and mark that scripts run.
document.documentElement.dataset.theme = localStorage.getItem("theme") || "";
document.documentElement.classList.add("scripted");
