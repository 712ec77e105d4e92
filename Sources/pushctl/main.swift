print("pushctl")
