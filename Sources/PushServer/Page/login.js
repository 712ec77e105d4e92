// The inbox sends a browser back here when the token was wrong.
if (location.search === "?wrong") document.getElementById("wrong").hidden = false;
