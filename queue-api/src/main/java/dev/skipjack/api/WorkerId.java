package dev.skipjack.api;

import dev.skipjack.api.spi.SafeText;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Identity of a worker, for display only. Ownership of jobs belongs to the execution alone, so two
 * workers with the same name do no harm.
 *
 * @param name as configured, at most 100 characters; control characters, which could forge log
 *     lines, and lone surrogates are replaced by U+FFFD
 * @param bootId new at each start
 */
public record WorkerId(String name, UUID bootId) {

  /** Line and paragraph separators too: some log viewers break lines there. */
  private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\\u0085\\u2028\\u2029]");

  /** Makes the name safe to store and to log. */
  public WorkerId {
    name = CONTROL.matcher(SafeText.of(name, 100)).replaceAll("\uFFFD");
  }

  /** Creates the identity of a worker that starts. */
  public static WorkerId boot(String name) {
    return new WorkerId(name, UUID.randomUUID());
  }

  /** Name and the first eight digits of the boot id. */
  @Override
  public String toString() {
    return name + "/" + bootId.toString().substring(0, 8);
  }
}
