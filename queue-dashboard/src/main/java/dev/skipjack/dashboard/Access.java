package dev.skipjack.dashboard;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The user who sends a request, and what this user may see and do. Immutable: methods that restrict
 * or extend the access return a new instance.
 *
 * @param user the name of the user, from 1 to 200 characters, which is recorded with the changes of
 *     the user
 * @param role what the user may do
 * @param queues the queues that the user may see; empty for all. A user who sees only some queues
 *     sees no page about the whole database, such as the doctor's and the outbox's
 * @param payloads whether the user may see payloads, results, headers and the values in error
 *     messages, and search by them
 */
public record Access(String user, Role role, Optional<Set<String>> queues, boolean payloads) {

  private static final int LONGEST_USER = 200;

  /**
   * Checks the name and copies the set.
   *
   * @param user the name of the user
   * @param role what the user may do
   * @param queues the visible queues
   * @param payloads whether payloads are visible
   * @throws IllegalArgumentException if the name is blank or too long
   */
  public Access {
    if (user.isBlank() || user.length() > LONGEST_USER) {
      throw new IllegalArgumentException(
          "A user's name must have 1 to %d characters and not be blank; it has %d."
              .formatted(LONGEST_USER, user.length()));
    }
    queues = queues.map(Set::copyOf);
  }

  /**
   * {@return access to all queues, without payloads}
   *
   * @param user the name of the user
   * @param role what the user may do
   */
  public static Access of(String user, Role role) {
    return new Access(user, role, Optional.empty(), false);
  }

  /**
   * Restricts the access to some queues. Without a name, no queue is visible.
   *
   * @param names the names of the queues
   * @return a copy with this change
   */
  public Access queues(String... names) {
    return new Access(user, role, Optional.of(new LinkedHashSet<>(Arrays.asList(names))), payloads);
  }

  /**
   * Sets whether payloads are visible. Default: false.
   *
   * @param visible whether the user may see payloads
   * @return a copy with this change
   */
  public Access payloads(boolean visible) {
    return new Access(user, role, queues, visible);
  }

  boolean sees(String queue) {
    return queues.isEmpty() || queues.get().contains(queue);
  }

  boolean seesEverything() {
    return queues.isEmpty();
  }

  boolean may(Role needed) {
    return role.includes(needed);
  }
}
