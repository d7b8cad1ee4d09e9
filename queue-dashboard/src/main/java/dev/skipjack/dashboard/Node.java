package dev.skipjack.dashboard;

/** A part of a page. It writes itself as HTML in which all texts are escaped. */
@FunctionalInterface
interface Node {

  /** Writes the part. */
  void write(StringBuilder out);
}
