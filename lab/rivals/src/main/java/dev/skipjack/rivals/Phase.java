package dev.skipjack.rivals;

/** A phase of the comparison, which consists of rounds in which the contenders take turns. */
enum Phase {
  ENQUEUE_1("enqueue one by one, 1 client: jobs/s"),
  ENQUEUE_8("enqueue one by one, 8 clients: jobs/s"),
  PICKUP("pickup in an idle queue: p50 in ms"),
  STEADY("steady load: p50 in ms"),
  BULK("enqueue in bulk: jobs/s"),
  DRAIN("drain: jobs/s");

  private final String title;

  Phase(String title) {
    this.title = title;
  }

  /** Returns what the phase measures, and the unit of its first figure. */
  String title() {
    return title;
  }
}
