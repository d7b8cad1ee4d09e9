package dev.skipjack.api.spi;

import org.jspecify.annotations.Nullable;

/**
 * Where the handler of an attempt was when its worker sampled it.
 *
 * @param execution the attempt
 * @param stack the frames of its thread, sanitized and truncated to 8,000 characters; null if they
 *     could not be sampled
 * @param problem why there is no stack, sanitized and truncated to 500 characters; null if there is
 *     one
 */
public record StackSample(Execution execution, @Nullable String stack, @Nullable String problem) {

  private static final int LONGEST_STACK = 8_000;
  private static final int LONGEST_PROBLEM = 500;

  /**
   * Creates a sample and sanitizes its texts.
   *
   * @param execution the execution, which fences the write
   * @param stack the frames, or null
   * @param problem why there are none, or null
   */
  public StackSample {
    stack = stack == null ? null : SafeText.of(stack, LONGEST_STACK);
    problem = problem == null ? null : SafeText.of(problem, LONGEST_PROBLEM);
  }
}
