/** How a command ends: exit codes, failures and findings. */
@NullMarked
package dev.cassidy.migration.error;

import org.jspecify.annotations.NullMarked;
