package dev.skipjack.sql;

/** The request of a {@link Statement} that has no parameters. */
public enum NoRequest {
  /** The only value. */
  NONE
}
