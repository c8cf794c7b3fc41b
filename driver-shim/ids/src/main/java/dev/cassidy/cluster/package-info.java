/** Cassidy's keyspaces in a cluster: their tables and installation, and checks of the nodes; what one instance needs of its process. */
@NullMarked
package dev.cassidy.cluster;

import org.jspecify.annotations.NullMarked;
