package dev.skipjack.dashboard;

/** The entries of the navigation, in their order. */
enum Nav {
  NOW("Now", "/", false, "M3 12h4l3-8 4 16 3-8h4"),
  QUEUES("Queues", "/queues", false, "M4 6h16M4 12h16M4 18h10"),
  JOBS("Jobs", "/jobs", false, "M4 5h16v14H4zM4 10h16M9 10v9"),
  RUNNING("Running", "/running", false, "M7 5l12 7-12 7z"),
  DEAD("Dead letters", "/dead", false, "M12 4l9 16H3zM12 10v4M12 17v.5"),
  HELD("Held", HeldScreen.PATH, false, "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3"),
  SCHEDULES("Schedules", "/schedules", false, "M12 3a9 9 0 1 0 .01 0M12 7v5l3.5 2"),
  OUTBOX("Outbox", "/outbox", true, "M4 13l3-8h10l3 8v6H4zM4 13h5l1.5 2.5h3L15 13h5"),
  WORKERS("Workers", "/workers", false, "M5 5h14v6H5zM5 13h14v6H5zM8 8h.5M8 16h.5"),
  DOCTOR("Doctor", "/doctor", true, "M12 5v14M5 12h14"),
  OPERATIONS(
      "Done by people",
      "/operations",
      false,
      "M9 11a3.5 3.5 0 1 0-.01 0M3 20c.5-4 3-5.5 6-5.5s5.5 1.5 6 5.5M16 5l2 2 3.5-3.5");

  private final String label;
  private final String path;
  private final boolean everyQueue;
  private final String icon;

  Nav(String label, String path, boolean everyQueue, String icon) {
    this.label = label;
    this.path = path;
    this.everyQueue = everyQueue;
    this.icon = icon;
  }

  String label() {
    return label;
  }

  String path() {
    return path;
  }

  /** Whether only users who see all queues may open the page. */
  boolean isForEveryQueue() {
    return everyQueue;
  }

  Node icon() {
    return Html.tag("svg")
        .set("viewBox", "0 0 24 24")
        .style("icon")
        .set("aria-hidden", "true")
        .add(Html.tag("path").set("d", icon));
  }
}
