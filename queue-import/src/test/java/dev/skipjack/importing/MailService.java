package dev.skipjack.importing;

/** A service whose method is a job of JobRunr. */
public class MailService {

  /** Used by JobRunr. */
  public MailService() {}

  /** Never runs, because the tests start no server. */
  public void remind(String user, int days) {}
}
