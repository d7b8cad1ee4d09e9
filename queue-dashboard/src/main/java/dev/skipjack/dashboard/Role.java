package dev.skipjack.dashboard;

/** The rights of a user, in ascending order. A role includes those before it. */
public enum Role {
  /** Reads pages, and changes nothing. */
  VIEWER,
  /**
   * Cancels and redrives jobs, makes jobs due, pauses and resumes queues and groups, and fires
   * schedules.
   */
  OPERATOR,
  /** Deletes dead jobs, edits jobs, enqueues new ones, and changes settings and limits. */
  ADMIN;

  /**
   * {@return whether this role includes another}
   *
   * @param other the other role
   */
  public boolean includes(Role other) {
    return compareTo(other) >= 0;
  }
}
