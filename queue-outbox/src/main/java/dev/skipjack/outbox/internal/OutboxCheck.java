package dev.skipjack.outbox.internal;

import dev.skipjack.sql.DoctorCheck;

/** The checks that the outbox adds to the doctor: their names, and what a finding means. */
enum OutboxCheck implements DoctorCheck {
  DEAD_EVENTS(
      "A dead event is not published, and blocks the later events of its aggregate unless relays"
          + " skip dead events."),
  RELAYS("Without a relay, no event of the outbox is published.");

  private final String meaning;

  OutboxCheck(String meaning) {
    this.meaning = meaning;
  }

  @Override
  public String meaning() {
    return meaning;
  }
}
