// The pages work without this script. It reloads them while they are visible, shows times in the
// zone of the browser, and adds a button that copies a document.
(function () {
  "use strict";

  var paused = false;
  var tag = null;
  var timer = null;

  function localTimes(root) {
    root.querySelectorAll("time").forEach(function (time) {
      var date = new Date(time.dateTime);
      if (!time.dataset.local && !isNaN(date)) {
        time.dataset.local = "1";
        time.title = date.toLocaleString() + "\n" + time.title;
      }
    });
  }

  function copyButtons(root) {
    root.querySelectorAll("pre").forEach(function (pre) {
      if (!navigator.clipboard) {
        return;
      }
      var box = document.createElement("div");
      box.className = "copy-box";
      pre.replaceWith(box);
      var button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "Copy";
      button.addEventListener("click", function () {
        navigator.clipboard.writeText(pre.textContent).then(function () {
          button.textContent = "Copied";
        });
      });
      box.append(button, pre);
    });
  }

  function isBusy() {
    var focused = document.activeElement;
    return (
      document.hidden ||
      document.querySelector("main details[open]") !== null ||
      (focused !== null && focused.matches("main input, main select, main textarea")) ||
      String(document.getSelection()) !== ""
    );
  }

  function address() {
    var url = new URL(location.href);
    url.searchParams.delete("note");
    return url.href;
  }

  function reload() {
    if (paused || isBusy()) {
      return Promise.resolve();
    }
    return fetch(address(), {
      headers: tag ? { "If-None-Match": tag } : {},
      credentials: "same-origin",
      redirect: "error",
    }).then(function (response) {
      document.body.classList.toggle("is-offline", !response.ok && response.status !== 304);
      if (!response.ok) {
        return;
      }
      tag = response.headers.get("ETag");
      return response.text().then(function (html) {
        var fresh = new DOMParser().parseFromString(html, "text/html").querySelector("main");
        var old = document.querySelector("main");
        if (!fresh || isBusy()) {
          return;
        }
        var focused = focusOf(old);
        old.replaceChildren.apply(old, Array.from(fresh.childNodes));
        prepare(old);
        var again = focused === null ? null : old.querySelectorAll("a, button, summary")[focused];
        if (again) {
          again.focus({ preventScroll: true });
        }
      });
    }, function () {
      document.body.classList.add("is-offline");
    });
  }

  function focusOf(main) {
    var index = Array.from(main.querySelectorAll("a, button, summary")).indexOf(document.activeElement);
    return index < 0 ? null : index;
  }

  function prepare(main) {
    localTimes(main);
    copyButtons(main);
    pauseButton(main);
  }

  function pauseButton(main) {
    var place = main.querySelector(".as-of");
    if (!main.dataset.reload || !place) {
      return;
    }
    var button = document.createElement("button");
    button.type = "button";
    button.className = "live";
    button.textContent = paused ? "Resume" : "Pause";
    button.setAttribute("aria-label", paused ? "Reload this page again" : "Do not reload this page");
    button.addEventListener("click", function () {
      paused = !paused;
      document.body.classList.toggle("is-still", paused);
      button.textContent = paused ? "Resume" : "Pause";
    });
    place.append(button);
  }

  function schedule(seconds) {
    clearTimeout(timer);
    timer = setTimeout(function () {
      reload().finally(function () {
        schedule(seconds);
      });
    }, seconds * 1000);
  }

  document.addEventListener("keydown", function (event) {
    if (event.key === "/" && !event.target.matches("input, textarea, select")) {
      var search = document.querySelector("input[type=search]");
      if (search) {
        event.preventDefault();
        search.focus();
      }
    }
  });

  document.addEventListener("click", function (event) {
    document.querySelectorAll("details.confirm[open]").forEach(function (open) {
      if (!open.contains(event.target)) {
        open.removeAttribute("open");
      }
    });
  });

  var main = document.querySelector("main");
  if (main) {
    prepare(main);
    if (main.dataset.reload) {
      document.body.classList.add("is-live");
      schedule(Number(main.dataset.reload));
    }
  }
})();
