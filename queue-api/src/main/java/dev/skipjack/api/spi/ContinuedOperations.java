package dev.skipjack.api.spi;

import dev.skipjack.api.operations.JobOperation;
import java.util.List;

/**
 * The result of {@link Maintenance#continueOperations}.
 *
 * @param ended the operations that ended with this call
 * @param unfinished whether the call returned before it had finished and should be repeated
 * @param failed one sentence for each operation that could not be continued, stating the reason
 */
public record ContinuedOperations(
    List<JobOperation> ended, boolean unfinished, List<String> failed) {

  /** The result if there is no operation to continue. */
  public static final ContinuedOperations NONE =
      new ContinuedOperations(List.of(), false, List.of());

  /**
   * Makes defensive copies of the lists.
   *
   * @param ended the operations that ended
   * @param unfinished whether more remains to be done
   * @param failed what failed
   */
  public ContinuedOperations {
    ended = List.copyOf(ended);
    failed = List.copyOf(failed);
  }
}
