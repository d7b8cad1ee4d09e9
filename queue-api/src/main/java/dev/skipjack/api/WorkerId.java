package dev.skipjack.api;

import dev.skipjack.api.spi.SafeText;
import java.util.UUID;

/**
 * Who runs a job, for people to read. Ownership is the execution's alone, so two workers of one
 * name do no harm.
 *
 * @param name as configured; NUL and lone surrogates are replaced, 100 characters at most
 * @param bootId new at each start
 */
public record WorkerId(String name, UUID bootId) {

  /** Makes the name safe to write. */
  public WorkerId {
    name = SafeText.of(name, 100);
  }

  /** A new identity for a worker that starts. */
  public static WorkerId boot(String name) {
    return new WorkerId(name, UUID.randomUUID());
  }

  /** Name and the first eight digits of the boot id. */
  @Override
  public String toString() {
    return name + "/" + bootId.toString().substring(0, 8);
  }
}
