package dev.skipjack.steps;

import dev.skipjack.api.JobId;
import java.time.Duration;

/**
 * Makes and uses signed links, each of which sends a certain signal to a certain job. A link is a
 * token for the URL of the application, signed with HMAC-SHA256. It contains the payload, which is
 * not encrypted. All links for the same job and name together work once: approving makes the link
 * that rejects invalid.
 *
 * <p>Programs that scan mails open the links in them. Let the page behind the link show a button,
 * and call {@link #use} when the button is pressed.
 *
 * <p>Safe for any number of threads.
 */
public final class SignalLinks {

  private SignalLinks() {}

  /**
   * {@return a token that sends a signal}
   *
   * @param job the job
   * @param name the name of the signal
   * @param payload what the job receives
   * @param validFor how long the token works, by the clock of this process; positive and at most
   *     366 days
   */
  public String sign(JobId job, String name, Object payload, Duration validFor) {
    throw new UnsupportedOperationException();
  }

  /**
   * Sends the signal of a token.
   *
   * @param token the token; any text, because it comes from a request
   * @param sentBy who used it, 1 to 200 bytes in UTF-8
   * @return what happened to the signal
   */
  public SignalResult use(String token, String sentBy) {
    throw new UnsupportedOperationException();
  }
}
