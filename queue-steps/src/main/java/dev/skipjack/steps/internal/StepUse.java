package dev.skipjack.steps.internal;

import dev.skipjack.store.jooq.internal.steps.StoreParts;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Whether a handler of this process has used durable steps since the last sweep. Safe for any
 * number of threads.
 */
public final class StepUse {

  private final AtomicBoolean used = new AtomicBoolean();

  private StepUse() {}

  /** Returns the instance of a store. */
  public static StepUse of(StoreParts store) {
    return store.part(StepUse.class, unused -> new StepUse());
  }

  /** Records that a handler uses steps. */
  public void note() {
    used.set(true);
  }

  /** Returns whether {@link #note} was called since the last call of this method. */
  boolean take() {
    return used.getAndSet(false);
  }
}
