package dev.skipjack.sql;

import dev.skipjack.api.operations.Finding;
import dev.skipjack.api.operations.Finding.Level;
import dev.skipjack.api.operations.Fix;
import java.util.Locale;

/** A check of the doctor, usually a constant of an enum. Its methods create its findings. */
public interface DoctorCheck {

  /** {@return the name of the check in capitals, with underscores between words} */
  String name();

  /** {@return what a finding of this check means for the queue} */
  String meaning();

  /**
   * Creates the finding that there is no problem.
   *
   * @param sentence what the check found, as a full sentence
   * @return the finding
   */
  default Finding green(String sentence) {
    return new Finding(id(), Level.GREEN, sentence, meaning(), null);
  }

  /**
   * Creates a finding of level {@link Level#YELLOW}.
   *
   * @param sentence what the check found, as a full sentence
   * @param fix what to do
   * @return the finding
   */
  default Finding yellow(String sentence, Fix fix) {
    return new Finding(id(), Level.YELLOW, sentence, meaning(), fix);
  }

  /**
   * Creates a finding of level {@link Level#RED}.
   *
   * @param sentence what the check found, as a full sentence
   * @param fix what to do
   * @return the finding
   */
  default Finding red(String sentence, Fix fix) {
    return new Finding(id(), Level.RED, sentence, meaning(), fix);
  }

  /**
   * Creates the finding that the check was skipped.
   *
   * @param sentence what the check found, as a full sentence
   * @param fix what to do
   * @return the finding
   */
  default Finding notChecked(String sentence, Fix fix) {
    return new Finding(id(), Level.NOT_CHECKED, sentence, meaning(), fix);
  }

  private String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
