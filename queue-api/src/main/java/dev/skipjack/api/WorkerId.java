package dev.skipjack.api;

import dev.skipjack.api.spi.SafeText;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The identity of a worker. It is displayed, and the worker searches by it for its jobs after the
 * response to a claim was lost. Jobs are owned by executions, not by workers, so two workers can
 * safely have the same name.
 *
 * @param name the configured name, at most 100 characters. Control characters, which could be used
 *     to forge log lines, and lone surrogates are replaced with U+FFFD
 * @param bootId a random id that differs for each start of the worker
 */
public record WorkerId(String name, UUID bootId) {

  /**
   * Control characters, including line and paragraph separators, at which some log viewers break
   * lines.
   */
  private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\\u0085\\u2028\\u2029]");

  /**
   * Makes the name safe to store and to log.
   *
   * @param name the configured name
   * @param bootId an id that differs after each start
   */
  public WorkerId {
    name = CONTROL.matcher(SafeText.of(name, 100)).replaceAll("\uFFFD");
  }

  /**
   * {@return a new identity for a worker that is starting}
   *
   * @param name the configured name
   */
  public static WorkerId boot(String name) {
    return new WorkerId(name, UUID.randomUUID());
  }

  /** Returns the name and the first eight digits of the boot id. */
  @Override
  public String toString() {
    return name + "/" + bootId.toString().substring(0, 8);
  }
}
