package dev.skipjack.rivals;

/** A part of the comparison, in which each contender takes its turn in every round. */
enum Phase {
  ENQUEUE_1("enqueue one by one, 1 client: jobs/s"),
  ENQUEUE_8("enqueue one by one, 8 clients: jobs/s"),
  PICKUP("pickup in an idle queue: p50 in ms"),
  STEADY("steady load: p50 in ms"),
  DRAIN("drain: jobs/s");

  private final String title;

  Phase(String title) {
    this.title = title;
  }

  /** What it measures, and the unit of the first figure. */
  String title() {
    return title;
  }
}
