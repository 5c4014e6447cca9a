"""What a state is: codes and names as plain data, and the operator's switch."""
