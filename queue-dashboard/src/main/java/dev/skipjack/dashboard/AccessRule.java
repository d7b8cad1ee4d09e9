package dev.skipjack.dashboard;

import java.util.Optional;

/**
 * Decides who may use the dashboard. It is called for every request except those for style sheets,
 * scripts and icons. It must be thread-safe.
 */
@FunctionalInterface
public interface AccessRule {

  /**
   * {@return what the user who sent the request may see and do, or empty to refuse it}
   *
   * @param request the request
   */
  Optional<Access> of(Request request);
}
