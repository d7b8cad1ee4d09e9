package dev.skipjack.cli;

import org.jspecify.annotations.Nullable;

/**
 * A value as the role of the session may read it, perhaps without payloads.
 *
 * @param hidden why payloads are missing; null if the role may read them
 */
record Visible<T>(T value, @Nullable String hidden) {

  /** Returns another value that was read together with this one. */
  <S> Visible<S> with(S other) {
    return new Visible<>(other, hidden);
  }

  /** Returns a payload as text, or why it is not shown. */
  @Nullable Object text(@Nullable String payload) {
    return hidden == null ? Json.Raw.of(payload) : "not shown: " + hidden;
  }

  /** Prints a remark if payloads are missing from the JSON. */
  void remark(Output output) {
    if (hidden != null && output.isJson()) {
      output.note("Payloads are not shown: %s.".formatted(hidden));
    }
  }
}
