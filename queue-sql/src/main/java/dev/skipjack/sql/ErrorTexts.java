package dev.skipjack.sql;

/** The beginnings of errors that one package writes to a job's row and another recognizes. */
public final class ErrorTexts {

  /** The beginning of the error of a parked job. The id of the dead job follows. */
  public static final String PARKED_BEHIND = "Parked behind job ";

  private ErrorTexts() {}
}
